import { List, type Page, type PageOptions } from './pages.ts';
import { path, type Transport, type WriteOptions } from './transport.ts';
import type { Approval, DecideApproval } from './wire.ts';

export type ApprovalOptions = PageOptions & { status?: Approval['status'] | undefined };
export type DecisionOptions = WriteOptions & {
  /** The agent reads the reason, and may repeat it to the person. */
  reason?: string | undefined;
};

/** Lists tool calls that wait for a decision, newest first. */
export class Approvals {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** An agent key lists only the approvals of its agent. */
  list({ limit, cursor: from, status, ...options }: ApprovalOptions = {}): List<Approval> {
    return new List(
      (cursor) =>
        this.#transport.json<Page<Approval>>('GET', '/api/approvals', { ...options, query: { limit, cursor, status } }),
      from,
    );
  }

  /**
   * Decides about a tool call, and the first decision counts. The same decision again returns the approval, but another
   * decision fails with `approval_decided`.
   */
  decide(approval: string, decision: DecideApproval, options: WriteOptions = {}): Promise<Approval> {
    return this.#transport.json('POST', path`/api/approvals/${approval}`, { ...options, body: decision });
  }

  approve(approval: string, { reason, ...options }: DecisionOptions = {}): Promise<Approval> {
    return this.decide(approval, { decision: 'approve', ...(reason !== undefined && { reason }) }, options);
  }

  deny(approval: string, { reason, ...options }: DecisionOptions = {}): Promise<Approval> {
    return this.decide(approval, { decision: 'deny', ...(reason !== undefined && { reason }) }, options);
  }
}
