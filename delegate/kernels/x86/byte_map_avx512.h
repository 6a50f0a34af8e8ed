// Map of bytes by a table in AVX-512 vectors. The includer defines ISA; struct parts, the table in registers, made by
// parts_of(table); and looked_up(parts, x), which maps the bytes of x.
#include "base/inline.h"
#include "kernels/kernel.h"

enum { BYTES = 64 };

TVMQ_INLINE void look_up_all(const struct tvmq_byte_map_args *args) {
  const uint8_t *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n, rest = n % BYTES;
  const struct parts parts = parts_of(args->map->table);
  size_t i = 0;
  for (; i + BYTES <= n; i += BYTES) _mm512_storeu_si512(out + i, looked_up(&parts, _mm512_loadu_si512(in + i)));
  const __mmask64 some = (UINT64_C(1) << rest) - 1;
  if (rest > 0) _mm512_mask_storeu_epi8(out + i, some, looked_up(&parts, _mm512_maskz_loadu_epi8(some, in + i)));
}

#define PASTE(isa) tvmq_byte_map__##isa
#define SYMBOL(isa) PASTE(isa)

void SYMBOL(ISA)(const struct tvmq_byte_map_args *args) { look_up_all(args); }
