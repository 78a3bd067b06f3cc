// Caches of client-go and controller-runtime under a storm of changes and cut connections: at the end each equals a
// fresh list, and no object was seen going back to an older version.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"os"
	"reflect"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "clients"

// connections that the client under test has open, so that they can be cut.
type connections struct {
	mutex sync.Mutex
	open  map[net.Conn]bool
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		c.mutex.Lock()
		c.open[connection] = true
		c.mutex.Unlock()
	}
	return connection, err
}

func (c *connections) cut() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for connection := range c.open {
		connection.Close()
	}
	c.open = map[net.Conn]bool{}
}

// order tells when an object is seen in an older version after a newer one.
type order struct {
	mutex sync.Mutex
	seen  map[string]uint64
	wrong []string
	total int
}

func (o *order) see(object *corev1.ConfigMap) {
	version, _ := strconv.ParseUint(object.ResourceVersion, 10, 64)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.total++
	key := object.Name + "/" + string(object.UID)
	if version < o.seen[key] {
		o.wrong = append(o.wrong, fmt.Sprintf("%s: %d after %d", key, version, o.seen[key]))
	}
	o.seen[key] = version
}

// write makes random changes to config maps until there have been enough.
func write(client kubernetes.Interface, random *rand.Rand, changes int) error {
	maps := client.CoreV1().ConfigMaps(namespace)
	ctx := context.Background()
	for i := 0; i < changes; i++ {
		name := fmt.Sprintf("c%d", random.Intn(200))
		var err error
		switch random.Intn(4) {
		case 0:
			_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		case 1:
			err = maps.Delete(ctx, name, metav1.DeleteOptions{})
		default:
			var object *corev1.ConfigMap
			if object, err = maps.Get(ctx, name, metav1.GetOptions{}); err == nil {
				object.Data = map[string]string{"i": strconv.Itoa(i)}
				_, err = maps.Update(ctx, object, metav1.UpdateOptions{})
			}
		}
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("change %d: %w", i, err)
		}
	}
	return nil
}

// differences between a cache and a fresh list, by name.
func differences(cached []*corev1.ConfigMap, fresh []corev1.ConfigMap) []string {
	var found []string
	byName := map[string]*corev1.ConfigMap{}
	for _, object := range cached {
		byName[object.Name] = object
	}
	for i := range fresh {
		object, there := byName[fresh[i].Name]
		if !there {
			found = append(found, fresh[i].Name+" is missing")
		} else if object.ResourceVersion != fresh[i].ResourceVersion || !reflect.DeepEqual(object.Data, fresh[i].Data) {
			found = append(found, fresh[i].Name+" differs")
		}
		delete(byName, fresh[i].Name)
	}
	for name := range byName {
		found = append(found, name+" is gone, but cached")
	}
	return found
}

func run() error {
	// A set of its own: controller-runtime has a flag of this name in the common one.
	flags := flag.NewFlagSet("clients", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "of the API server")
	mode := flags.String("mode", "informer", "informer or manager")
	changes := flags.Int("changes", 10000, "changes to make")
	cuts := flags.Int("cuts", 20, "times all connections of the client are cut")
	seed := flags.Int64("seed", time.Now().UnixNano(), "of the changes and cuts")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	fmt.Printf("%s, %d changes, %d cuts, seed %d\n", *mode, *changes, *cuts, *seed)

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	writer, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = writer.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}

	cutting := &connections{open: map[net.Conn]bool{}}
	tested := rest.CopyConfig(config)
	tested.Dial = cutting.dial
	seen := &order{seen: map[string]uint64{}}
	var list func() []*corev1.ConfigMap
	switch *mode {
	case "informer":
		list, err = startInformer(ctx, tested, seen)
	case "manager":
		list, err = startManager(ctx, tested, seen)
	default:
		err = errors.New("no such mode")
	}
	if err != nil {
		return err
	}

	random := rand.New(rand.NewSource(*seed))
	for i := 0; i < *cuts; i++ {
		if err := write(writer, random, *changes / *cuts); err != nil {
			return err
		}
		cutting.cut()
	}

	var found []string
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		fresh, err := writer.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if found = differences(list(), fresh.Items); len(found) == 0 {
			break
		}
	}
	seen.mutex.Lock()
	defer seen.mutex.Unlock()
	fmt.Printf("%d events, %d out of order, %d differences to a fresh list\n", seen.total, len(seen.wrong), len(found))
	if len(found) > 0 || len(seen.wrong) > 0 || seen.total == 0 {
		return fmt.Errorf("differences %v, out of order %v", found, seen.wrong)
	}
	return nil
}

// handler feeds what an informer tells into the order.
func handler(seen *order) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen.see(object.(*corev1.ConfigMap)) },
		UpdateFunc: func(_, object any) { seen.see(object.(*corev1.ConfigMap)) },
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}
