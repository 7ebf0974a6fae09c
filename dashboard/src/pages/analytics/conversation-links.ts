import type { LinkProps } from '@tanstack/react-router';
import type { ConversationOutcome, Without } from '../../../../contract/dashboard/analytics.ts';
import type { AnalyticsFilters } from './search.ts';

type Where = AnalyticsFilters & { since: string; until: string; without?: Without };
type What = { outcome?: ConversationOutcome; status?: 'resolved' };

/** Links to the conversations behind the figures of a period and its filters. */
export const conversationLinks =
  (where: Where) =>
  (what: What = {}): LinkProps => ({ to: '/conversations', search: { ...where, ...what } });
