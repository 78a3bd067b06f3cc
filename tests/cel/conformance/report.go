package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

type tally struct {
	tests, passed, failed int
	skipped               map[string]int // by reason
}

func (t *tally) add(other tally) {
	t.tests += other.tests
	t.passed += other.passed
	t.failed += other.failed
	for reason, count := range other.skipped {
		t.skipped[reason] += count
	}
}

func (t *tally) skipCount() int {
	sum := 0
	for _, count := range t.skipped {
		sum += count
	}
	return sum
}

func (t *tally) print(name string) {
	fmt.Printf("%-16s %6d %6d %6d %7d\n", name, t.tests, t.passed, t.failed, t.skipCount())
}

func (t *tally) printReasons() {
	for _, reason := range slices.Sorted(maps.Keys(t.skipped)) {
		fmt.Printf("  %4d skipped: %s\n", t.skipped[reason], reason)
	}
}

// The skip list: "# REASON" begins a group, then one file/section/test a line; `*` and `?` stand for any text.
type skipList struct {
	patterns []string
	reasons  []string
	used     []bool
}

func readSkips(name string) (*skipList, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := &skipList{}
	reason := ""
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			reason = strings.TrimSpace(line[1:])
		case reason == "":
			return nil, fmt.Errorf("%s:%d: a test without a reason above it", name, number)
		default:
			if _, err := path.Match(line, ""); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, number, err)
			}
			list.patterns = append(list.patterns, line)
			list.reasons = append(list.reasons, reason)
			list.used = append(list.used, false)
		}
	}
	return list, lines.Err()
}

// reason says why a test is skipped; "" when it is not.
func (l *skipList) reason(id string) string {
	for i, pattern := range l.patterns {
		if matched, _ := path.Match(pattern, id); matched {
			l.used[i] = true
			return l.reasons[i]
		}
	}
	return ""
}

func (l *skipList) unused() []string {
	var names []string
	for i, pattern := range l.patterns {
		if !l.used[i] {
			names = append(names, pattern)
		}
	}
	return names
}

func oneLine(text string) string {
	return strings.ReplaceAll(text, "\n", " ")
}
