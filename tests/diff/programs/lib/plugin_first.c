/* A helper library to be loaded at run time, in the place of the second by turns. */
#define PLUGIN_NUMBER 1009
#include "plugin_body.h"
