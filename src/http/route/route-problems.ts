import type { ProblemCode } from '../../../contract/problems.ts';
import type { Need } from '../../access/types.ts';
import { isKeyRoute, type Route } from './route.ts';

/**
 * Lists every refusal of a route, first the refusals that follow from its declaration, then its own. A route must not
 * list a problem that follows from its declaration.
 */
export function problemsOf(route: Route): ProblemCode[] {
  const query = route.query && 'properties' in route.query ? (route.query.properties as object) : {};
  const takesBody = route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH';
  const codes: ProblemCode[] = ['request_invalid'];
  if (isKeyRoute(route.access)) codes.push(...accessProblems(route.access));
  if (isKeyRoute(route.access)) codes.push('rate_limited');
  if (takesBody)
    codes.push('request_timeout', 'unsupported_media_type', 'payload_too_large', 'body_invalid', 'validation_failed');
  if (route.query) codes.push('validation_failed');
  if ('cursor' in query) codes.push('cursor_invalid');
  if (route.idempotent) codes.push('idempotency_mismatch', 'idempotency_in_progress', 'outcome_unknown');
  codes.push('headers_too_large', 'internal_error');
  const own = route.problems ?? [];
  const twice = own.find((code) => codes.includes(code));
  if (twice) throw new Error(`${route.operation.id} lists ${twice}, which its declaration already gives`);
  return [...new Set([...codes, ...own])];
}

function accessProblems(need: Need): ProblemCode[] {
  const codes: ProblemCode[] = [
    'authorization_missing',
    'key_invalid',
    'key_wrong_region',
    'key_revoked',
    'network_not_allowed',
    'key_used_up',
    'unavailable',
    'plan_required',
  ];
  if (need.client) codes.push('client_token_expired', 'origin_not_allowed');
  codes.push('client_token_not_allowed');
  if (need.permission) codes.push('permission_missing');
  if (need.campaign) codes.push('campaign_key_required', 'campaign_mismatch', 'campaign_not_found');
  if (need.agent) codes.push('agent_mismatch', 'agent_not_found');
  if (need.trigger) codes.push('trigger_not_found');
  if (need.channel) codes.push('channel_not_found');
  return codes;
}
