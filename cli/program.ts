import { Command } from 'commander';
import { wantsJson } from './command-action.ts';
import { addAgentsCommand } from './commands/agents.ts';
import { addAnalyticsCommand } from './commands/analytics.ts';
import { addApprovalsCommand } from './commands/approvals.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addCampaignsCommand } from './commands/campaigns.ts';
import { addChannelsCommand } from './commands/channels/channels.ts';
import { addChatCommand } from './commands/chat.ts';
import { addClientTokensCommand } from './commands/client-tokens.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConversationsCommand } from './commands/conversations.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventsCommand } from './commands/events.ts';
import { addEndUsersCommand } from './commands/end-users.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addKnowledgeCommand } from './commands/knowledge.ts';
import { addCostsCommands } from './commands/costs.ts';
import { addInvitationsCommand, addMembersCommand } from './commands/members.ts';
import { addModelsCommand } from './commands/models.ts';
import { addOrgsCommand } from './commands/orgs.ts';
import { addQuestionsCommand } from './commands/questions.ts';
import { addRunsCommand } from './commands/runs.ts';
import { addSendCommand } from './commands/send.ts';
import { addServerCommands } from './commands/server.ts';
import { addSignInCommands } from './commands/sign-in.ts';
import { addSitesCommand } from './commands/sites.ts';
import { addTokensCommand } from './commands/tokens.ts';
import { addToolsCommand } from './commands/tools.ts';
import { addTriggerCommand } from './commands/trigger.ts';
import { addTriggersCommand } from './commands/triggers.ts';
import { addWebhooksCommand } from './commands/webhooks.ts';

const NOTES = `
Answers are text on a terminal, and JSON when piped or with --json. A command that fails prints the reason on stderr
(as {"error":{"code","message"}} when piped).

Exit codes:
  0    success
  1    any other failure
  3    the access token is not valid, has expired or was revoked
  4    the access token is too narrow for this command
  5    tests of an agent ran and some failed, or a replay differs
  6    "agents test --replay" lacks an answer
  130  Ctrl-C at a question

"./parley --version" prints the version.

Environment:
  PARLEY_URL           the server (default http://127.0.0.1:4000)
  PARLEY_TOKEN         an access token, instead of "./parley login": for CI and other programs
  PARLEY_EMAIL, PARLEY_PASSWORD
                       sign in for this one command, instead of "./parley login"
  PARLEY_ORG           the organization, where there are several
  PARLEY_API_KEY       the key that "trigger", "send" and "client-tokens" use
  PARLEY_CONFIG_DIR    where sessions are kept

The whole reference is in docs/cli.md. "./parley completion bash" prints the completion for a shell.`;

/** Prints the help of a command group that is called without a command. The only output for scripts is the failure. */
function writeUnlessJson(text: string): void {
  if (!wantsJson(null, process.argv.includes('--json'))) process.stderr.write(text);
}

/** Builds the complete command line, with one line of code per command. */
export function buildProgram(): Command {
  const program = new Command('parley')
    .description('Parley from the command line.')
    .option('--json', 'print JSON, also on a terminal')
    .option('--url <url>', 'the URL of the server, instead of PARLEY_URL')
    .option('--org <id>', 'the organization, if you have several')
    .exitOverride()
    // Only main.ts prints failures, so that all failures have one format.
    .configureOutput({ outputError: () => {}, writeErr: writeUnlessJson })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', NOTES);

  program.commandsGroup('You:');
  addSignInCommands(program);
  addOrgsCommand(program);
  addMembersCommand(program);
  addInvitationsCommand(program);
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
  addClientTokensCommand(program);
  addTokensCommand(program);
  addWebhooksCommand(program);
  program.commandsGroup('Conversations:');
  addTriggerCommand(program);
  addRunsCommand(program);
  addSendCommand(program);
  addConversationsCommand(program);
  addChatCommand(program);
  addApprovalsCommand(program);
  addQuestionsCommand(program);
  addAnalyticsCommand(program);
  addEventsCommand(program);
  addAuditCommand(program);
  program.commandsGroup('The server:');
  addServerCommands(program);
  addDoctorCommand(program);
  addCompletionCommand(program);
  return program;
}
