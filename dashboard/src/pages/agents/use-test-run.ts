import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { CaseResult, TestCase } from '../../../../contract/dashboard/test-cases.ts';
import { call, type Problem } from '../../api/client.ts';

/**
 * Runs cases one by one. The run of the cases stops when the user presses Stop, when the page closes, or when a case
 * cannot run.
 */
export function useTestRun(params: { org_id: string; agent_id: string }) {
  const client = useQueryClient();
  const [results, setResults] = useState<ReadonlyMap<string, CaseResult>>(new Map());
  const [progress, setProgress] = useState<{ done: number; wanted: number } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function start(cases: readonly TestCase[]): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    setProblem(null);
    if (cases.length > 1) setResults(new Map());
    try {
      for (const [at, one] of cases.entries()) {
        setProgress({ done: at, wanted: cases.length });
        const result = await call('testAgent', { params, body: { case: one }, signal: controller.signal });
        if (controller.signal.aborted) return;
        setResults((before) => new Map(before).set(one.name, result));
      }
    } catch (error) {
      if (!controller.signal.aborted) setProblem(error as Problem);
    } finally {
      setProgress(null);
      void client.invalidateQueries({ queryKey: ['readSuite'] });
    }
  }

  return {
    results,
    problem,
    busy: progress !== null,
    done: progress?.done ?? 0,
    wanted: progress?.wanted ?? 1,
    start,
    stop: () => running.current?.abort(),
  };
}
