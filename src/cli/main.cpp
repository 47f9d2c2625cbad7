#include "cli/commands.h"

int main(int argc, char** argv) { return cuzk::cli::run(argc, argv); }
