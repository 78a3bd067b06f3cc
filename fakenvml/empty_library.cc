// libcuda.so: there for those who look for the file by its name and version. Nothing in it can be called.
extern "C" __attribute__((visibility("default"))) int fakenvmlHasNoCuda() {
  return 0;
}
