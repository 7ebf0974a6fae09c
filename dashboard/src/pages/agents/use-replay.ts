import { useEffect, useRef, useState } from 'react';
import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import type { ReplayResult } from '../../../../contract/dashboard/replay.ts';
import { call, type Problem } from '../../api/client.ts';

export type Replayed = { conversation: ConversationSummary; result: ReplayResult };

/** One page has this number of conversations. */
const PAGE = 100;
/** After this many consecutive failures, the replay stops. */
const MAX_FAILURES = 3;

/**
 * Replays the newest conversations of an agent one by one until all are done, the user presses Stop, or the page
 * closes.
 */
export function useReplay(params: { org_id: string; agent_id: string }) {
  const [replayed, setReplayed] = useState<readonly Replayed[]>([]);
  const [failed, setFailed] = useState(0);
  const [progress, setProgress] = useState<{ done: number; wanted: number } | null>(null);
  const [ended, setEnded] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function start(last: number): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setProblem(null);
    setReplayed([]);
    setFailed(0);
    setEnded(false);
    setProgress({ done: 0, wanted: last });
    try {
      const conversations = await newest(params, last, signal);
      let inRow = 0;
      for (const [at, conversation] of conversations.entries()) {
        setProgress({ done: at, wanted: conversations.length });
        const body = { conversation_id: conversation.id };
        try {
          const result = await call('replayConversation', { params, body, signal });
          inRow = 0;
          if (!signal.aborted) setReplayed((before) => [...before, { conversation, result }]);
        } catch (error) {
          if (signal.aborted || ++inRow >= MAX_FAILURES) throw error;
          setFailed((before) => before + 1);
        }
        if (signal.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) setProblem(error as Problem);
    } finally {
      if (running.current === controller) {
        setProgress(null);
        setEnded(true);
      }
    }
  }

  return { replayed, failed, problem, progress, ended, start, stop: () => running.current?.abort() };
}

async function newest(
  { org_id, agent_id }: { org_id: string; agent_id: string },
  last: number,
  signal: AbortSignal,
): Promise<ConversationSummary[]> {
  const found: ConversationSummary[] = [];
  let cursor: string | undefined;
  do {
    const query = { agent_id, limit: Math.min(PAGE, last - found.length), ...(cursor !== undefined && { cursor }) };
    const page = await call('listConversations', { params: { org_id }, query, signal });
    found.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && found.length < last);
  return found;
}
