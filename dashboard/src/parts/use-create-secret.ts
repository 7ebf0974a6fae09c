import { useState } from 'react';
import { Problem } from '../api/client.ts';

/**
 * Holds a secret that is created once and shown once. The call is not a mutation of TanStack Query, whose cache would
 * keep the secret for minutes after the dialog closed. Only the caller of `make` gets the secret.
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
