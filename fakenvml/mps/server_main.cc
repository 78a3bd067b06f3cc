// nvidia-cuda-mps-server of a simulated driver: a process that is there until it is ended.
#include <signal.h>
#include <unistd.h>

int main() {
  for (;;) pause();
}
