import { type Command, Option } from 'commander';
import { MODEL_PROVIDERS, type ModelProviderName } from '../../contract/dashboard/models.ts';
import {
  BUDGET_PERIODS,
  BUDGET_SUBJECTS,
  type SetBudgetBody,
  USAGE_GROUPS,
  type UsageGroup,
} from '../../contract/dashboard/costs.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

/** Adds the commands for the usage of models, their cost and their budgets (docs/costs.md). */
export function addCostsCommands(program: Command): void {
  addUsage(program);
  addBudgets(program);
  addPrices(program);
}

function addUsage(program: Command): void {
  const usage = program
    .command('usage')
    .summary('tokens and cost of models')
    .description(
      'Shows tokens, tool calls and cost of models, as JSON. Days are in UTC. By default, the report covers the last 30 days.',
    )
    .addOption(new Option('--by <group>', 'the dimension of the sums').choices(USAGE_GROUPS).default('day'))
    .option('--since <day>', 'first day, such as 2026-11-01')
    .option('--until <day>', 'last day')
    .option('--agent <id>', 'only this agent')
    .option('--key <id>', 'only this key')
    .option('--campaign <id>', 'only this campaign');
  type Options = { by: UsageGroup; since?: string; until?: string; agent?: string; key?: string; campaign?: string };
  setAction<Options>(usage, async ({ api, out }, _args, { by, since, until, agent, key, campaign }) => {
    const query = { by, since, until, agent_id: agent, key_id: key, campaign_id: campaign };
    out.record(await api.call('readUsage', { query }));
  });
  examples(usage, 'usage --by agent --since 2026-11-01');
}

function addBudgets(program: Command): void {
  const budgets = program
    .command('budgets')
    .summary('limits for the cost of agents')
    .description(
      'Budgets: the most tokens, money, calls or seconds that models and your own code may use per day or month in UTC.',
    );
  const set = budgets
    .command('set')
    .description('Sets a budget: one for each subject, period and unit.')
    .addOption(new Option('--for <subject>', 'whose').choices(BUDGET_SUBJECTS).makeOptionMandatory())
    .option('--id <id>', 'of the agent, campaign or key')
    .addOption(new Option('--per <period>', 'how long').choices(BUDGET_PERIODS).makeOptionMandatory())
    .requiredOption('--unit <unit>', 'tokens, calls, seconds, or a currency such as USD')
    .requiredOption('--amount <n>', 'how much', amount);
  type Options = {
    for: SetBudgetBody['subject'];
    id?: string;
    per: SetBudgetBody['period'];
    unit: string;
    amount: number;
  };
  setAction<Options>(set, async ({ api, out }, _args, { for: subject, id = null, per: period, unit, amount: most }) =>
    out.record(await api.call('setBudget', { body: { subject, subject_id: id, period, unit, amount: most } })),
  );
  examples(set, 'budgets set --for organization --per month --unit USD --amount 200');
  const list = listing(budgets.command('list').description('Lists budgets with their spent amounts.'));
  setAction<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listBudgets', want),
      [
        field('id'),
        field('subject'),
        field('subject_id', 'Of'),
        field('subject_name', 'Name'),
        field('period'),
        field('unit'),
        field('amount'),
        field('spent'),
      ],
      'No budgets: there is no limit. See ./parley budgets set --help',
    ),
  );
  const remove = budgets
    .command('remove')
    .description('Removes a budget.')
    .argument('<budget_id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, 'Without the budget, models may use more than its limit.');
    await api.call('removeBudget', { ids: { budget_id: id! } });
    out.record({ id, deleted: true });
  });
}

const model = (command: Command): Command =>
  command
    .addOption(new Option('--provider <name>', 'which provider').choices(MODEL_PROVIDERS).makeOptionMandatory())
    .requiredOption('--model <name>', 'which model');

function addPrices(program: Command): void {
  const prices = program
    .command('prices')
    .summary('prices of models')
    .description(
      'The prices of your providers per million tokens. Parley contains no prices: you set the price of each model.',
    );
  const set = model(prices.command('set').description('Sets the price of a model.'))
    .requiredOption('--currency <code>', 'such as USD')
    .requiredOption('--input <n>', 'a million input tokens', amount)
    .requiredOption('--output <n>', 'a million output tokens', amount)
    .option('--cached <n>', 'a million cached input tokens', amount);
  type Options = { provider: ModelProviderName; model: string };
  type Prices = { currency: string; input: number; output: number; cached?: number };
  setAction<Options & Prices>(
    set,
    async ({ api, out }, _args, { provider, model: name, currency, input, output, cached = null }) =>
      out.record(
        await api.call('setModelPrice', {
          body: { provider, model: name, price: { currency, input, output, cached } },
        }),
      ),
  );
  examples(set, 'prices set --provider openai --model NAME --currency USD --input 0.25 --output 2 --cached 0.025');
  const list = listing(prices.command('list').description('Lists the prices.'));
  setAction<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listModelPrices', want),
      [field('provider'), field('model'), field('currency'), field('input'), field('cached'), field('output')],
      'No prices: the cost of models is unknown. See ./parley prices set --help',
    ),
  );
  const remove = model(prices.command('remove').description('Removes a price: the cost is unknown again.'));
  setAction<Options>(remove, async ({ api, out }, _args, { provider, model: name }) =>
    out.record(await api.call('setModelPrice', { body: { provider, model: name, price: null } })),
  );
}

function amount(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new Failure('usage_invalid', `"${text}" is no amount.`);
  return value;
}
