__device__ int bias = 1000;
__device__ int far(int x) { return x + bias; }
