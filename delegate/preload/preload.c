// Gives the delegate to each interpreter of a program that is linked to TFLite's C library, for LD_PRELOAD.
//
// The functions below stand in for the library's own, which they call. A program without the library never calls them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "litert/configuration.h"
#include "litert/plugin.h"
#include "preload/program.h"

struct TfLiteModel;
struct TfLiteInterpreterOptions;
struct TfLiteInterpreter;
typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions Options;
typedef struct TfLiteInterpreter Interpreter;

#pragma GCC visibility push(default)
Interpreter *TfLiteInterpreterCreate(const TfLiteModel *model, const Options *options);
Interpreter *TfLiteInterpreterCreateWithSelectedOps(const TfLiteModel *model, const Options *options);
void TfLiteInterpreterDelete(Interpreter *interpreter);
Options *TfLiteInterpreterOptionsCopy(const Options *options);
void TfLiteInterpreterOptionsAddDelegate(Options *options, void *delegate);
void TfLiteInterpreterOptionsDelete(Options *options);
#pragma GCC visibility pop

#define CALLER __builtin_return_address(0)
#define FIND(name, caller, function) tvmq_program_find(name, caller, &(function))

// ---- what is known of the program's objects

// Options with delegates of the program's own, and interpreters with a delegate of ours.
struct known {
  const void *object;
  void *delegate;
  struct known *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct known *first;

static struct known **place_of(const void *object) {
  struct known **place = &first;
  while (*place != NULL && (*place)->object != object) place = &(*place)->next;
  return place;
}

static bool is_known(const void *object) {
  pthread_mutex_lock(&mutex);
  const bool found = *place_of(object) != NULL;
  pthread_mutex_unlock(&mutex);
  return found;
}

static bool know(const void *object, void *delegate) {
  struct known *known = malloc(sizeof *known);
  if (known == NULL) return false;
  pthread_mutex_lock(&mutex);
  *known = (struct known){.object = object, .delegate = delegate, .next = first};
  first = known;
  pthread_mutex_unlock(&mutex);
  return true;
}

// Returns the object's delegate, or NULL if there is none.
static void *forget(const void *object) {
  pthread_mutex_lock(&mutex);
  struct known **place = place_of(object), *known = *place;
  if (known != NULL) *place = known->next;
  pthread_mutex_unlock(&mutex);
  void *delegate = known != NULL ? known->delegate : NULL;
  free(known);
  return delegate;
}

// ---- the line of `tvmq run`

static struct {
  pid_t process;
  int networks, nodes, claimed;
} tally;

static void count(const struct tvmq_delegate_info *info) {
  pthread_mutex_lock(&mutex);
  if (tally.process != getpid()) memset(&tally, 0, sizeof tally);  // a fork
  tally.process = getpid();
  tally.networks++;
  tally.nodes += info->nodes;
  tally.claimed += info->claimed;
  pthread_mutex_unlock(&mutex);
}

__attribute__((destructor)) static void tell(void) {
  if (tally.process != getpid() || getenv("TVMQ_RUN") == NULL) return;
  dprintf(STDERR_FILENO, "tvmq: %d network%s with %d of %d nodes by the delegate\n", tally.networks, tally.networks == 1 ? "" : "s", tally.claimed,
          tally.nodes);
}

// ---- an interpreter with the delegate

static void complain(const char *what) { tvmq_plugin_complain("preloaded", what); }

static void say(const struct tvmq_settings *settings, const char *what) {
  const char *severity = tvmq_settings_get(settings, "log_severity");
  const bool heard = severity != NULL && (strcmp(severity, "info") == 0 || strcmp(severity, "verbose") == 0);
  tvmq_log(heard ? TVMQ_LOG_VERBOSE : TVMQ_LOG_SILENT, TVMQ_LOG_INFO, "preloaded: %s", what);
}

typedef Interpreter *create_function(const TfLiteModel *model, const Options *options);

// The functions of the library that creates the interpreter.
struct c_library {
  create_function *create;
  Options *(*create_options)(void);
  Options *(*copy_options)(const Options *options);
  void (*add_delegate)(Options *options, void *delegate);
  void (*delete_options)(Options *options);
  void (*delete_interpreter)(Interpreter *interpreter);
};

static bool find_functions(struct c_library *library, const void *caller) {
  return FIND("TfLiteInterpreterOptionsCreate", caller, library->create_options) && FIND("TfLiteInterpreterOptionsCopy", caller, library->copy_options) &&
         FIND("TfLiteInterpreterOptionsAddDelegate", caller, library->add_delegate) &&
         FIND("TfLiteInterpreterOptionsDelete", caller, library->delete_options) && FIND("TfLiteInterpreterDelete", caller, library->delete_interpreter);
}

// Returns NULL if the library does not accept the delegate.
static Interpreter *create_with(const struct c_library *library, const TfLiteModel *model, const Options *given, void *delegate) {
  Options *options = given == NULL ? library->create_options() : library->copy_options(given);
  if (options == NULL) return NULL;
  library->add_delegate(options, delegate);
  Interpreter *interpreter = library->create(model, options);
  library->delete_options(options);
  return interpreter;
}

static Interpreter *try_with_delegate(struct tvmq_configuration *configuration, struct c_library *library, const void *caller, const TfLiteModel *model,
                                      const Options *given) {
  const struct tvmq_settings *settings = &configuration->settings;
  if (!configuration->enabled || model == NULL) return NULL;
  if (!find_functions(library, caller)) {
    say(settings, "an interpreter is left alone: its library does not export the functions for options");
    return NULL;
  }
  if (given != NULL && is_known(given)) {
    say(settings, "an interpreter with delegates of its own is left alone");
    return NULL;
  }
  if (configuration->complaint[0] != '\0') {
    complain(configuration->complaint);
    return NULL;
  }
  void *delegate = tvmq_plugin_load(configuration, complain) ? tvmq_plugin_create(settings, complain) : NULL;
  if (delegate == NULL) return NULL;
  Interpreter *interpreter = create_with(library, model, given, delegate);
  const struct tvmq_delegate_info *info = interpreter != NULL ? tvmq_plugin_info(delegate) : NULL;
  if (info != NULL) count(info);
  const bool idle = info != NULL && info->nodes > 0 && info->claimed == 0;
  if (interpreter != NULL && !idle && know(interpreter, delegate)) {
    say(settings, "an interpreter has the delegate");
    return interpreter;
  }
  say(settings, idle ? "an interpreter is created without the delegate, which takes no node" : "an interpreter cannot be created with the delegate");
  if (interpreter != NULL) library->delete_interpreter(interpreter);
  tvmq_plugin_destroy(delegate);
  return NULL;
}

// The create function of the C library that this thread is in, or NULL. If it calls another one, which arrives here
// again, that call is passed on unchanged.
static __thread const void *inside;

static Interpreter *create(const char *name, const void *caller, const TfLiteModel *model, const Options *given) {
  struct c_library library;
  if (!FIND(name, inside != NULL ? inside : caller, library.create)) return NULL;
  struct tvmq_configuration *configuration = inside == NULL ? tvmq_configuration_read(&mutex) : NULL;
  const void *before = inside;
  memcpy(&inside, &library.create, sizeof inside);
  Interpreter *interpreter = configuration != NULL ? try_with_delegate(configuration, &library, caller, model, given) : NULL;
  if (interpreter == NULL) interpreter = library.create(model, given);
  inside = before;
  free(configuration);
  return interpreter;
}

// ---- the functions that stand in

Interpreter *TfLiteInterpreterCreate(const TfLiteModel *model, const Options *options) { return create(__func__, CALLER, model, options); }

Interpreter *TfLiteInterpreterCreateWithSelectedOps(const TfLiteModel *model, const Options *options) { return create(__func__, CALLER, model, options); }

void TfLiteInterpreterDelete(Interpreter *interpreter) {
  void (*destroy)(Interpreter *);
  void *delegate = forget(interpreter);
  if (FIND(__func__, CALLER, destroy)) destroy(interpreter);
  if (delegate != NULL) tvmq_plugin_destroy(delegate);
}

Options *TfLiteInterpreterOptionsCopy(const Options *options) {
  Options *(*copy)(const Options *);
  Options *copied = FIND(__func__, CALLER, copy) ? copy(options) : NULL;
  if (copied != NULL && is_known(options)) know(copied, NULL);
  return copied;
}

void TfLiteInterpreterOptionsAddDelegate(Options *options, void *delegate) {
  void (*add)(Options *, void *);
  if (!is_known(options)) know(options, NULL);
  if (FIND(__func__, CALLER, add)) add(options, delegate);
}

void TfLiteInterpreterOptionsDelete(Options *options) {
  void (*destroy)(Options *);
  forget(options);
  if (FIND(__func__, CALLER, destroy)) destroy(options);
}
