// DEQUANTIZE of bytes, by a table of 256 numbers of float32. Range: elements.
__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void dequantize(global uchar *memory, global const uchar *constants, int in, int out, int n, int table) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  store_bytes(memory + out + i * 4, as_uchar4(((global const uint *)(constants + table))[memory[in + i]]), 4);
}
