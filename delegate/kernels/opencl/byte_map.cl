// Functions of single bytes by a table of 256. Range: four bytes each.
__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void byte_map(global uchar *memory, global const uchar *constants, int in, int out, int n, int table) {
  const int i = (int)get_global_id(0) * 4;
  if (i >= n) return;
  global const uchar *const map = constants + table;
  const uchar4 bytes = as_uchar4(load_bytes(memory + in + i, n - i));
  store_bytes(memory + out + i, (uchar4)(map[bytes.s0], map[bytes.s1], map[bytes.s2], map[bytes.s3]), n - i);
}
