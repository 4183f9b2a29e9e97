#!/bin/sh
# Stands for the process that decodes images: runs the file `script` beside the link through which it was started.
. "$(/usr/bin/dirname "$0")/script"
