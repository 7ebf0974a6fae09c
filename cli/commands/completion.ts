import { Argument, type Command } from 'commander';
import { examples } from '../command-action.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The possible next words of a command line after the words in `path`. */
type Place = { path: string; words: string[] };

export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .summary('completion for a shell')
    .description('Prints a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>').choices(SHELLS));
  completion.action((shell: Shell) => void process.stdout.write(SCRIPTS[shell](placesOf(program))));
  examples(
    completion,
    'completion bash > ~/.local/share/bash-completion/completions/parley',
    'completion zsh > "${fpath[1]}/_parley"',
    'completion fish > ~/.config/fish/completions/parley.fish',
  );
}

function placesOf(command: Command, path: readonly string[] = [], inherited: readonly string[] = []): Place[] {
  const options = [...inherited, ...command.options.flatMap(({ long }) => long ?? [])];
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const words = [...command.commands.map((below) => below.name()), ...choices, ...options, '--help'];
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((below) =>
      placesOf(below, [...path, below.name()], path.length === 0 ? options : inherited),
    ),
  ];
}

/**
 * In Bash and zsh, the longest known path before the cursor selects the completions. In zsh, `path` and `words` are
 * special variables, so the names in the script are longer.
 */
const walk = (wordsBefore: string, places: readonly Place[]): string => `  local path_so_far='' words_now='' word
  for word in "${wordsBefore}"; do
    case "\${path_so_far:+$path_so_far }$word" in
      ${places
        .slice(1)
        .map(({ path }) => `'${path}'`)
        .join(' | ')}) path_so_far="\${path_so_far:+$path_so_far }$word" ;;
    esac
  done
  case "$path_so_far" in
${places.map(({ path, words }) => `    '${path}') words_now='${words.join(' ')}' ;;`).join('\n')}
  esac`;

const bash = (places: readonly Place[]): string => `# Completion of parley for bash.
_parley() {
${walk('${COMP_WORDS[@]:1:COMP_CWORD-1}', places)}
  COMPREPLY=($(compgen -W "$words_now" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley ./parley
`;

const zsh = (places: readonly Place[]): string => `#compdef parley
# Completion of parley for zsh.
_parley() {
${walk('${(@)words[2,CURRENT-1]}', places)}
  compadd -- \${=words_now} || _files
}
if [ "$funcstack[1]" = "_parley" ]; then _parley "$@"; else compdef _parley parley; fi
`;

const fish = (places: readonly Place[]): string => `# Completion of parley for fish.
function __parley_words
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$path $word")
    switch "$longer"
      case ${places
        .slice(1)
        .map(({ path }) => `'${path}'`)
        .join(' ')}
        set path "$longer"
    end
  end
  switch "$path"
${places.map(({ path, words }) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`).join('\n')}
  end
end
complete -c parley -a '(__parley_words)'
`;

const SCRIPTS: Record<Shell, (places: readonly Place[]) => string> = { bash, zsh, fish };
