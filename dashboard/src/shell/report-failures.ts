import type { DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import { queryClient } from '../api/queries.ts';
import { defineTexts, sayIn } from '../language/texts.tsx';
import { notifyFailed } from '../parts/notify.tsx';
import { problemText } from '../parts/problem-alert.tsx';
import { languageOf, preferences } from '../preferences.ts';

const texts = defineTexts(
  { failed: 'An action failed after you left its page: {why}' },
  { failed: 'فشل إجراء بعد أن غادرت صفحته: {why}' },
);

/** Actions without a lasting effect, and actions whose page reports their failure itself. */
const UNREPORTED: readonly (DashboardRouteName | undefined)[] = [
  'setPresence',
  'markConversationSeen',
  'previewCampaign',
  'reviewCampaign',
  'rehearseCampaign',
  'tryAgent',
  'tryTool',
  'translateText',
  'draftReply',
  'fillSavedReply',
  'checkChannel',
  'checkSignInProvider',
  'replyInConversation',
  'sayInConversation',
  'addNote',
];

/** The actions whose page was left before their response. No part of a page would show their failure. */
const left = new WeakSet<object>();

queryClient.getMutationCache().subscribe((event) => {
  const { mutation, type } = event;
  if (!mutation) return;
  if (type === 'observerAdded') left.delete(mutation);
  // A second action of the same part replaces the first one, and the part stays on the page.
  if (type === 'observerRemoved' && !event.observer.hasListeners()) left.add(mutation);
  if (type !== 'updated' || event.action.type !== 'error' || !left.has(mutation)) return;
  if (UNREPORTED.includes(mutation.options.mutationKey?.[0] as DashboardRouteName)) return;
  const language = languageOf(preferences());
  notifyFailed(sayIn(texts, language)('failed', { why: problemText(event.action.error, language).title }));
});
