import { useState } from 'react';
import { Problem } from '../api/client.ts';

/**
 * A secret that is made once and shown once. Not a mutation of TanStack Query: its cache would hold the secret for
 * minutes after its dialog closed. Only the caller of `make` gets it.
 */
export function useCreateSecret<Args extends unknown[], Made>(
  work: (...args: Args) => Promise<Made>,
): {
  busy: boolean;
  problem: Problem | null;
  make: (...args: Args) => Promise<{ made: Made } | { refused: Problem }>;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const make = async (...args: Args): Promise<{ made: Made } | { refused: Problem }> => {
    setBusy(true);
    setProblem(null);
    try {
      return { made: await work(...args) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      return { refused: error };
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, make };
}
