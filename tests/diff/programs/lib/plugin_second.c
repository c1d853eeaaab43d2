/* A helper library to be loaded at run time, in the place of the first by turns. */
#define PLUGIN_NUMBER 2003
#include "plugin_body.h"
