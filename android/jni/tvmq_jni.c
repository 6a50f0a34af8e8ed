// The native methods of org.tvmq.delegate.TvmqDelegate.
#include <jni.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tvmq_delegate.h"

void *tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(void *delegate);

enum { MAX_OPTIONS = 32, MAX_TEXT = 256, MAX_MESSAGE = 1024 };

struct options {
  const char *keys[MAX_OPTIONS], *values[MAX_OPTIONS];
  char texts[2 * MAX_OPTIONS][MAX_TEXT];
};

static void throw_illegal_argument(JNIEnv *env, const char *message) {
  jclass kind = (*env)->FindClass(env, "java/lang/IllegalArgumentException");
  if (kind != NULL) (*env)->ThrowNew(env, kind, message);
}

// Copies a Java string; false if it is null or too long.
static bool copy(JNIEnv *env, jobjectArray strings, jsize i, char text[MAX_TEXT]) {
  jstring string = (*env)->GetObjectArrayElement(env, strings, i);
  const char *characters = string != NULL ? (*env)->GetStringUTFChars(env, string, NULL) : NULL;
  const bool fits = characters != NULL && strlen(characters) < MAX_TEXT;
  if (fits) strcpy(text, characters);
  if (characters != NULL) (*env)->ReleaseStringUTFChars(env, string, characters);
  (*env)->DeleteLocalRef(env, string);
  return fits;
}

static bool read_options(JNIEnv *env, jobjectArray names, jobjectArray values, jsize n, struct options *options) {
  for (jsize i = 0; i < n; i++) {
    if (!copy(env, names, i, options->texts[2 * i]) || !copy(env, values, i, options->texts[2 * i + 1])) return false;
    options->keys[i] = options->texts[2 * i];
    options->values[i] = options->texts[2 * i + 1];
  }
  return true;
}

// The library reports an error before it returns, to a function that gets nothing else: one call at a time, with its thread's message here.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *message;

static void keep_message(const char *text) {
  size_t i = 0;
  for (; text[i] != '\0' && i + 1 < MAX_MESSAGE; i++) message[i] = text[i];
  message[i] = '\0';
}

static void *create(const struct options *options, jsize n, char text[MAX_MESSAGE]) {
  pthread_mutex_lock(&mutex);
  message = text;
  void *delegate = tflite_plugin_create_delegate(options->keys, options->values, (size_t)n, keep_message);
  pthread_mutex_unlock(&mutex);
  return delegate;
}

JNIEXPORT jlong JNICALL Java_org_tvmq_delegate_TvmqDelegate_create(JNIEnv *env, jclass type, jobjectArray names, jobjectArray values) {
  (void)type;
  char text[MAX_MESSAGE] = "out of memory";
  const jsize n = (*env)->GetArrayLength(env, names);
  struct options *options = calloc(1, sizeof *options);
  void *delegate = NULL;
  if (options != NULL && (n > MAX_OPTIONS || !read_options(env, names, values, n, options))) {
    strcpy(text, "too many options, or one that is too long");
  } else if (options != NULL) {
    delegate = create(options, n, text);
  }
  free(options);
  if (delegate == NULL && !(*env)->ExceptionCheck(env)) throw_illegal_argument(env, text);
  return (jlong)(intptr_t)delegate;
}

JNIEXPORT void JNICALL Java_org_tvmq_delegate_TvmqDelegate_destroy(JNIEnv *env, jclass type, jlong handle) {
  (void)env, (void)type;
  tflite_plugin_destroy_delegate((void *)(intptr_t)handle);
}

JNIEXPORT jint JNICALL Java_org_tvmq_delegate_TvmqDelegate_claimed(JNIEnv *env, jclass type, jlong handle) {
  (void)env, (void)type;
  const struct tvmq_delegate_info *info = tvmq_get_delegate((void *)(intptr_t)handle);
  return info != NULL ? info->claimed : 0;
}

JNIEXPORT jstring JNICALL Java_org_tvmq_delegate_TvmqDelegate_version(JNIEnv *env, jclass type) {
  (void)type;
  return (*env)->NewStringUTF(env, tvmq_version());
}
