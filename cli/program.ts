import { Command } from 'commander';
import { addAgentsCommand } from './commands/agents.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addCampaignsCommand } from './commands/campaigns.ts';
import { addChannelsCommand } from './commands/channels/channels.ts';
import { addChatCommand } from './commands/chat.ts';
import { addConversationsCommand } from './commands/conversations.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventsCommand } from './commands/events.ts';
import { addEndUsersCommand } from './commands/end-users.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addKnowledgeCommand } from './commands/knowledge.ts';
import { addCostsCommands } from './commands/costs.ts';
import { addModelsCommand } from './commands/models.ts';
import { addOrgsCommand } from './commands/orgs.ts';
import { addSendCommand } from './commands/send.ts';
import { addServerCommands } from './commands/server.ts';
import { addSignInCommands } from './commands/sign-in.ts';
import { addSitesCommand } from './commands/sites.ts';
import { addTokensCommand } from './commands/tokens.ts';
import { addToolsCommand } from './commands/tools.ts';
import { addTriggerCommand } from './commands/trigger.ts';
import { addTriggersCommand } from './commands/triggers.ts';

const NOTES = `
Answers are text on a terminal, and JSON when piped or with --json. A command that fails says why on stderr
(as {"error":{"code","message"}} when piped) and exits with 1; 3 means that an access token is not valid (any more),
4 that it is too narrow, 130 interrupted.

"./parley --version" prints the version.

Environment:
  PARLEY_URL           the server (default http://127.0.0.1:4000)
  PARLEY_TOKEN         an access token, instead of "./parley login": for CI and other programs
  PARLEY_EMAIL, PARLEY_PASSWORD
                       sign in for this one command, instead of "./parley login"
  PARLEY_ORG           the organization, where there are several
  PARLEY_API_KEY       the key that "trigger" and "send" use
  PARLEY_CONFIG_DIR    where sessions are kept

The whole reference is in docs/cli.md.`;

/** The whole command line, one line a command. */
export function buildProgram(): Command {
  const program = new Command('parley')
    .description('Parley from the command line.')
    .option('--json', 'print JSON, also on a terminal')
    .option('--url <url>', 'the URL of the server, instead of PARLEY_URL')
    .option('--org <id>', 'the organization, if you have several')
    .exitOverride()
    // Failures are told in one place (main.ts), in one shape.
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', NOTES);

  program.commandsGroup('You:');
  addSignInCommands(program);
  addOrgsCommand(program);
  program.commandsGroup('What you build:');
  addAgentsCommand(program);
  addKnowledgeCommand(program);
  addSitesCommand(program);
  addToolsCommand(program);
  addTriggersCommand(program);
  addChannelsCommand(program);
  addCampaignsCommand(program);
  addEndUsersCommand(program);
  addModelsCommand(program);
  addCostsCommands(program);
  addKeysCommand(program);
  addTokensCommand(program);
  program.commandsGroup('Conversations:');
  addTriggerCommand(program);
  addSendCommand(program);
  addConversationsCommand(program);
  addChatCommand(program);
  addEventsCommand(program);
  addAuditCommand(program);
  program.commandsGroup('The server:');
  addServerCommands(program);
  addDoctorCommand(program);
  return program;
}
