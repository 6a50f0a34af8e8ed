#include "host/signature.h"

#include "cpu/cpu.h"
#include "host/options.h"

void tvmq_sign(const char *op, const struct tvmq_op_class *op_class, const union tvmq_desc *desc, const struct tvmq_env *env, char room[TVMQ_TASK_SIZE]) {
  struct tvmq_text text = {.at = room, .size = TVMQ_TASK_SIZE};
  char name[16];
  room[0] = '\0';
  if (op_class->sign == NULL) return;
  tvmq_say(&text, "%s", op);
  const size_t length = text.length;
  op_class->sign(desc, env, &text);
  if (text.length == length) room[0] = '\0';
  if (text.length == length) return;
  tvmq_option_name("rounding", (int)env->rounding, name, sizeof name);
  tvmq_say(&text, " rounding=%s", name);
  if (env->winograd != TVMQ_WINOGRAD_AUTO) {
    tvmq_option_name("winograd", (int)env->winograd, name, sizeof name);
    tvmq_say(&text, " winograd=%s", name);
  }
  tvmq_say(&text, " cpu=");
  tvmq_cpu_say_features(env->cpu, &text);
  tvmq_say(&text, " threads=%d", tvmq_threads_count(env->threads));
}
