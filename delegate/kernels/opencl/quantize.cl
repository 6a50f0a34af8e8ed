// QUANTIZE of float32 to bytes, without arithmetic on floats: the output is the number of thresholds that are not above
// the input, plus `first`. Floats are compared by their order, an integer.
//
// Table: 255 thresholds, ascending, then the greatest order of the low end, the least of the high end, and the bytes of
// the low end, of the high end and of NaN: at the ends, int32 does not hold results. Range: elements.
__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void quantize(global uchar *memory, global const uchar *constants, int in, int out, int n, int table, int first) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  global const int *const thresholds = (global const int *)(constants + table);
  const int bits = as_int(vload4(0, memory + in + i * 4)), order = bits < 0 ? bits ^ INT_MAX : bits;
  int below = 0;  // thresholds known not to be above; there are 255
  for (int step = 128; step > 0; step /= 2) below += order >= thresholds[below + step - 1] ? step : 0;
  int byte = first + below;
  if (order <= thresholds[255]) byte = thresholds[257];
  if (order >= thresholds[256]) byte = thresholds[258];
  if ((bits & INT_MAX) > 0x7f800000) byte = thresholds[259];
  memory[out + i] = (uchar)byte;
}
