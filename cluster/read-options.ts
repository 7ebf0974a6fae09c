import { parseArgs, type ParseArgsConfig } from 'node:util';

/** parseArgs for what people start with `npm run`: what cannot be read is said in a sentence, with how it is used. */
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
