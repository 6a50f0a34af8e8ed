// Output stage of convolutions. Macros: ODD, whether lines are odd in the accumulator (tvmq_stage_is_odd).
//
// A channel's parameters: bias, multiplier, shift. A negative multiplier holds the bits of -slope, and the shift those
// of the intercept, of a line in float32 (TVMQ_FORM_FLOAT).
struct channel {
  int bias, multiplier, shift, unused;
};

struct range {
  int zero_point, min, max;
};

static inline int on_line(struct channel channel, float x, struct range range) {
  const float slope = -as_float(channel.multiplier), intercept = as_float(channel.shift);
#if ODD
  return clamp(convert_int_rte(fma(slope, x, copysign(intercept, x))) + range.zero_point, range.min, range.max);
#else
  return clamp(convert_int_rte(fma(slope, x, intercept)), range.min, range.max);
#endif
}

static inline int in_fixed_point(struct channel channel, int x, struct range range) {
  return clamp(add_wrap(rescale(x, channel.multiplier, channel.shift), range.zero_point), range.min, range.max);
}

// The channels of a block of four have one form, which is that of the first.
static inline uchar4 finish(const struct channel *channels, uint4 sums, struct range range, int flip) {
  const int4 x = as_int4(sums);
  int4 value;
  if (channels[0].multiplier < 0) {
    value = (int4)(on_line(channels[0], (float)x.s0, range), on_line(channels[1], (float)x.s1, range), on_line(channels[2], (float)x.s2, range),
                   on_line(channels[3], (float)x.s3, range));
  } else {
    value = (int4)(in_fixed_point(channels[0], x.s0, range), in_fixed_point(channels[1], x.s1, range), in_fixed_point(channels[2], x.s2, range),
                   in_fixed_point(channels[3], x.s3, range));
  }
  return convert_uchar4(as_uint4(value) & 0xffu) ^ (uchar4)((uchar)flip);
}
