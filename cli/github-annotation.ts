import path from 'node:path';

/** The position of a test case in a file, for CI servers that show failures next to the code. */
export type Place = { file: string; line: number };

/** A line that GitHub Actions shows beside the code of a pull request. */
export function annotation(workspace: string, place: Place | null, title: string, message: string): string {
  const where = place ? `file=${property(path.relative(workspace, place.file))},line=${place.line},` : '';
  return `::error ${where}title=${property(title)}::${data(message)}`;
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
