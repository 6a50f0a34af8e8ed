#include "exact/proofs.h"

const struct tvmq_proofs *const tvmq_proofs[] = {&tvmq_plane_proofs, &tvmq_table_proofs};
const size_t tvmq_n_proofs = sizeof tvmq_proofs / sizeof tvmq_proofs[0];
