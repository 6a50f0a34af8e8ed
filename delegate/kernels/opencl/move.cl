// Moves bytes: each run of the output is a run of the input, or is filled with a value of `element` bytes.
//
// Runs have four dimensions. Index i of a dimension adds i * step to the position in the input; if `table` is not
// negative, it adds entry i of that table, or is padding if that is INT_MIN.
// Macros: MAP, whether moved bytes go through a table of 256. Range: bytes of a run, dimension 3, dimensions 0 to 2.
static inline int position(global const uchar *constants, int table, int step, int i) {
  return table < 0 ? i * step : ((global const int *)(constants + table))[i];
}

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void move(global uchar *memory, global const uchar *constants, int in, int out, int run, int dim1, int dim2, int dim3, int table0, int table1,
                 int table2, int table3, int in0, int in1, int in2, int in3, int out0, int out1, int out2, int out3, int value, int element, int map) {
  const int byte = (int)get_global_id(0), i3 = (int)get_global_id(1), rest = (int)get_global_id(2);
  if (byte >= run || i3 >= dim3) return;
  const int i2 = rest % dim2, above = rest / dim2, i1 = above % dim1, i0 = above / dim1;
  const int p0 = position(constants, table0, in0, i0), p1 = position(constants, table1, in1, i1);
  const int p2 = position(constants, table2, in2, i2), p3 = position(constants, table3, in3, i3);
  const int to = out + i0 * out0 + i1 * out1 + i2 * out2 + i3 * out3 + byte;
  if (p0 == INT_MIN || p1 == INT_MIN || p2 == INT_MIN || p3 == INT_MIN) {
    memory[to] = (uchar)((uint)value >> (byte % element * 8));
    return;
  }
  const uchar moved = memory[in + p0 + p1 + p2 + p3 + byte];
#if MAP
  memory[to] = constants[map + moved];
#else
  memory[to] = moved;
#endif
}
