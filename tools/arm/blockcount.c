// A plugin for qemu-user: which blocks of instructions a process executed, and how often.
//
//   qemu-aarch64 -plugin blockcount.so,out=FILE PROGRAM ...
//
// When the process exits, FILE gets one line for each executed translation: "ADDRESS COUNT CODE", where ADDRESS is hexadecimal and CODE has eight hexadecimal
// digits for each instruction word. A block that the emulator has translated more than once has a line for each translation.
//
// Debian's qemu-user comes without qemu-plugin.h, so the part of the plugin interface that is needed is declared here. It is version 1, that of qemu up to 8.2;
// later emulators refuse to load the plugin because of qemu_plugin_version.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef uint64_t qemu_plugin_id_t;
typedef void (*translate_fn)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*exit_fn)(qemu_plugin_id_t id, void *context);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translate_fn callback);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum qemu_plugin_op op, void *counter, uint64_t addend);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, exit_fn callback, void *context);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

struct translation {
  struct translation *next;
  uint64_t address, count;
  size_t n;
  uint32_t words[];
};

static struct translation *translations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // threads of the emulated process translate at the same time
static FILE *out;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  (void)id;
  const size_t n = qemu_plugin_tb_n_insns(block);
  struct translation *new = malloc(sizeof *new + n * sizeof new->words[0]);
  if (!new) abort();  // a count that lacks blocks would pass for a cheaper program
  new->address = qemu_plugin_tb_vaddr(block);
  new->count = 0;
  new->n = n;
  for (size_t i = 0; i < n; i++) memcpy(&new->words[i], qemu_plugin_insn_data(qemu_plugin_tb_get_insn(block, i)), sizeof new->words[0]);
  pthread_mutex_lock(&lock);
  new->next = translations;
  translations = new;
  pthread_mutex_unlock(&lock);
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &new->count, 1);
}

static void print_counts(qemu_plugin_id_t id, void *context) {
  (void)id, (void)context;
  pthread_mutex_lock(&lock);
  for (const struct translation *each = translations; each; each = each->next) {
    if (each->count == 0) continue;
    fprintf(out, "%" PRIx64 " %" PRIu64 " ", each->address, each->count);
    for (size_t i = 0; i < each->n; i++) fprintf(out, "%08" PRIx32, each->words[i]);
    fputc('\n', out);
  }
  pthread_mutex_unlock(&lock);
  if (ferror(out) || fclose(out)) abort();
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
  (void)info;
  if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || !(out = fopen(argv[0] + 4, "w"))) {
    fprintf(stderr, "blockcount: wants out=FILE, a file that can be written\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, print_counts, NULL);
  return 0;
}
