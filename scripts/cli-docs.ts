/**
 * Writes the reference of the commands in docs/cli.md from the commands themselves, between its two markers. With
 * `--check`, which `npm run check` uses, the script changes nothing and fails if the page differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { buildProgram } from '../cli/program.ts';

const PAGE = path.resolve(import.meta.dirname, '..', 'docs', 'cli.md');
const BEGIN = '<!-- commands: node scripts/cli-docs.ts writes this part -->';
const END = '<!-- end of commands -->';

const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) throw new Error(`docs/cli.md needs the lines ${BEGIN} and ${END}.`);
const wanted = `${before}${BEGIN}\n\n${reference(buildProgram())}\n\n${END}${after}`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, wanted);
else if (page !== wanted) {
  console.error('docs/cli.md differs from the commands. Run: node_modules/.bin/node scripts/cli-docs.ts');
  process.exitCode = 1;
}

function reference(program: Command): string {
  const global = ['Every command takes these options:', optionsOf(program)];
  return [...global, ...program.commands.map(chapter)].join('\n\n');
}

/** Writes a section about a top-level command with its subcommands. */
function chapter(command: Command): string {
  const leaves = leavesOf(command);
  const intro = command.commands.length > 0 ? [command.description()] : [];
  return [`### ${command.name()}`, ...intro.map(escape), ...leaves.map(entry)].join('\n\n');
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function entry(command: Command): string {
  const words = [pathOf(command), ...command.registeredArguments.map(argumentText)].join(' ');
  const usage = command.options.length > 0 ? `${words} [options]` : words;
  const parts = [`**\`${usage}\`** ${escape(command.description())}`];
  const rows = [...command.registeredArguments.flatMap(argumentRow), ...command.options.map(optionRow)];
  if (rows.length > 0) parts.push(rows.join('\n'));
  return parts.join('\n\n');
}

function pathOf(command: Command): string {
  return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function argumentText(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentRow(argument: Argument): string[] {
  const text = [argument.description, choices(argument.argChoices)].filter(Boolean).join('; ');
  return text === '' ? [] : [`- \`${argumentText(argument)}\`: ${escape(text)}`];
}

function optionsOf(command: Command): string {
  return command.options.map(optionRow).join('\n');
}

function optionRow(option: Option): string {
  const facts = [
    option.description,
    choices(option.argChoices),
    option.mandatory ? 'required' : '',
    option.defaultValue === undefined || Object(option.defaultValue) === option.defaultValue
      ? ''
      : `default ${String(option.defaultValue)}`,
  ];
  return `- \`${option.flags}\`: ${escape(facts.filter(Boolean).join('; '))}`;
}

function choices(of: readonly string[] | undefined): string {
  return of && of.length > 0 ? `one of ${of.join(', ')}` : '';
}

/** Placeholders such as <id> must not become HTML. */
function escape(text: string): string {
  return text.replaceAll(/[<>*]/g, (character) => `\\${character}`);
}
