#include "graph/signature.h"

#include "cpu/cpu.h"

void tvmq_sign(const char *op, const struct tvmq_operator *op_def, const union tvmq_desc *desc, const struct tvmq_env *env, char room[TVMQ_TASK_SIZE]) {
  struct tvmq_text text = {.at = room, .size = TVMQ_TASK_SIZE};
  room[0] = '\0';
  const struct tvmq_implementation *implementation = tvmq_implementation_of(op_def);
  if (implementation->sign == NULL) return;
  tvmq_say(&text, "%s", op);
  const size_t length = text.length;
  implementation->sign(desc, env, &text);
  if (text.length == length) room[0] = '\0';
  if (text.length == length) return;
  tvmq_say_name(&text, " rounding=", TVMQ_ROUNDING_NAMES, (size_t)env->rounding);
  if (env->winograd != TVMQ_WINOGRAD_AUTO) tvmq_say_name(&text, " winograd=", TVMQ_WINOGRAD_NAMES, (size_t)env->winograd);
  tvmq_say(&text, " cpu=");
  tvmq_cpu_say_features(env->cpu, &text);
  tvmq_say(&text, " threads=%d", tvmq_threads_count(env->threads));
}
