import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * parseArgs for programs that people start with `npm run`. An invalid option is reported in a sentence, with the usage.
 */
export function readOptions<const T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(1);
  }
}
