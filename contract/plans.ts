import type { Plan } from './permissions.ts';

/**
 * This file has all differences between the plans. On the free plan, members use the dashboard and test their agents.
 * The free plan has no API keys: a call gets `plan_required`, also with a key from an earlier paid plan. On the free
 * plan, campaigns send nothing, and an invitation link that was not mailed creates no account. On the free plan,
 * documents and files have lower limits.
 */
export const PLAN_WITH_API = 'paid' satisfies Plan;

export const hasApi = (plan: Plan): boolean => plan === PLAN_WITH_API;

const MIB = 1024 * 1024;

/**
 * The maximum bytes of text in the documents of one agent, and of all agents of an organization. Larger documents are
 * refused. Stored documents stay, also after a change to the free plan.
 */
export const KNOWLEDGE_BYTES: Record<Plan, { agent: number; organization: number }> = {
  free: { agent: 2 * MIB, organization: 5 * MIB },
  paid: { agent: 20 * MIB, organization: 200 * MIB },
};

/** The maximum bytes of the files in all conversations of an organization. */
export const ATTACHMENTS_BYTES: Record<Plan, number> = { free: 1024 * MIB, paid: 10 * 1024 * MIB };
