#!/bin/sh
# An image to labels in a GStreamer pipeline, by nnstreamer's tensor_filter with the delegate: classify.sh MODEL LABELS IMAGE
# It needs nnstreamer with its tensorflow2-lite filter, and the library: `tvmq info` or `pkg-config --variable=delegate tvmq_delegate` tells its path.
set -eu
model=$1 labels=$2 image=$3
library=${TVMQ_LIBRARY:-$(pkg-config --variable=delegate tvmq_delegate)}
custom="Delegate:External,ExtDelegateLib:$library,ExtDelegateKeyVal:num_threads#2"
exec gst-launch-1.0 filesrc location="$image" ! decodebin ! videoconvert ! videoscale ! video/x-raw,format=RGB,width=224,height=224 ! imagefreeze num-buffers=1 ! \
  tensor_converter ! tensor_filter framework=tensorflow2-lite model="$model" custom="$custom" ! \
  tensor_decoder mode=image_labeling option1="$labels" ! filesink location=/dev/stdout
