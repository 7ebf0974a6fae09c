import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { readSecret } from '../read-input.ts';
import { ask, askHidden, onTerminal } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

export function addSignInCommands(program: Command): void {
  const login = program
    .command('login')
    .summary('sign in and store the session')
    .description(
      'Signs in to a Parley server and stores the session in a file that only you can read, under PARLEY_CONFIG_DIR, $XDG_CONFIG_HOME/parley or ~/.config/parley. The password is not stored.',
    )
    .option('--email <address>', 'instead of a prompt')
    .option('--password-stdin', 'read the password from standard input')
    .option('--code <code>', 'from the authenticator app, or a recovery code, if the account has a second factor');
  setAction<{ email?: string; passwordStdin?: boolean; code?: string }>(
    login,
    async ({ settings, api, out }, _args, options) => {
      const email = options.email ?? settings.email ?? (await askFor('e-mail address', '--email', ask));
      const password = options.passwordStdin
        ? await readSecret('password')
        : (settings.password ?? (await askFor('password', '--password-stdin', askHidden)));
      const code = async (): Promise<string> => options.code ?? askFor('code of your authenticator app', '--code', ask);
      await api.signIn(email, password, code);
      out.record({ server: settings.url, email, signed_in: true }, () => `Signed in to ${settings.url} as ${email}.`);
    },
  );
  examples(login, 'login', 'login --email you@example.com --password-stdin < password.txt');

  setAction(
    program
      .command('logout')
      .summary('sign out and delete the session')
      .description('Ends the stored session on the server and deletes it on this machine.'),
    async ({ settings, api, out }) => {
      await api.signOut();
      out.record({ server: settings.url, signed_out: true }, () => `Signed out of ${settings.url}.`);
    },
  );

  const whoami = program
    .command('whoami')
    .summary('who is signed in, and where')
    .description('Shows the signed-in person, the server, its region and the organizations.');
  setAction(whoami, async ({ settings, api, out }) => {
    const session = await api.call('readSession');
    out.record({ server: settings.url, ...session }, () =>
      [
        ...(session.token ? [`Access token “${session.token.label}” (${session.token.verbs.join(', ')}) of:`] : []),
        `${session.user.email} on ${settings.url} (region ${session.region})${session.operator ? ', operator of this installation' : ''}`,
        ...session.organizations.map((one) => `  ${one.id}  ${one.name}  ${one.plan}, ${one.role}`),
      ].join('\n'),
    );
  });
  examples(whoami, 'whoami', 'whoami --json');
}

async function askFor(what: string, flag: string, how: (question: string) => Promise<string>): Promise<string> {
  if (!onTerminal())
    throw new Failure('terminal_required', `This is not a terminal, so the ${what} cannot be entered: use ${flag}.`);
  const answer = await how(`${what[0]!.toUpperCase()}${what.slice(1)}: `);
  if (answer === '') throw new Failure('usage_invalid', `The ${what} is empty: nothing was sent.`);
  return answer;
}
