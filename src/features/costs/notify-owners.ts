import type { Db } from '../../store/db.ts';
import { type QueueMail, unlinked } from '../../store/mail.ts';
import { readOwnerAddresses } from '../../store/members/members.ts';
import { lockUnmailed, type NamedBudget, setMailed } from '../../store/costs/budgets.ts';

type Deps = { db: Db; queueMail: QueueMail | null; baseUrl: string };

/**
 * Mails all owners of an organization when a budget is nearly or completely spent. The first node that finds the budget
 * sends one mail for each period and threshold. Returns the number of budgets about which mails were queued. Without a
 * mail server, owners see the spent budget in the dashboard.
 */
export async function notifyOwnersOfBudgets({ db, queueMail, baseUrl }: Deps, limit: number): Promise<number> {
  if (queueMail === null) return 0;
  return db.transaction(async (tx) => {
    const budgets = await lockUnmailed(tx, limit);
    for (const budget of budgets) {
      const { organization, addresses } = await readOwnerAddresses(tx, budget.orgId);
      const link = { label: 'Show costs', url: `${baseUrl}/settings/costs` };
      for (const to of addresses) await queueMail(tx, { to, ...inWords(budget, unlinked(organization)), link });
      await setMailed(tx, budget);
    }
    return budgets.length;
  });
}

const KINDS: Record<string, string> = { agent: 'the agent', campaign: 'the campaign', key: 'the API key' };

function inWords({ subject, name, period, amount, spent, unit, told }: NamedBudget, organization: string) {
  const whose = subject === 'organization' ? organization : `${KINDS[subject]} “${unlinked(name ?? '')}”`;
  const which = `The ${period === 'day' ? 'daily' : 'monthly'} budget of ${whose}`;
  const sum = `${Number(spent)} of ${Number(amount)} ${unit} are used in ${organization}.`;
  return told >= 100
    ? {
        subject: `${which} is spent`,
        lines: [
          `${which} is spent: ${sum}`,
          'Until the next period begins, neither models nor your own code are called for this budget.',
        ],
      }
    : { subject: `${which} is nearly spent`, lines: [`${which} is spent to 80 %: ${sum}`] };
}
