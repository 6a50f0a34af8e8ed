#include "exact/proofs.h"

struct tvmq_proofs tvmq_proofs(int kind) { return kind == 0 ? tvmq_plane_proofs() : tvmq_table_proofs(); }
