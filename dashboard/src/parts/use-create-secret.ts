import { useMutation } from '@tanstack/react-query';
import { Problem } from '../api/client.ts';

/**
 * Holds a secret that is created once and shown once. Only the caller of `make` gets the secret. The mutation reports a
 * failure after its page was left, but has no result, and is removed from the cache after a success.
 */
export function useCreateSecret<Args extends unknown[], Made>(
  work: (...args: Args) => Promise<Made>,
): {
  busy: boolean;
  problem: Problem | null;
  make: (...args: Args) => Promise<{ made: Made } | { refused: Problem }>;
} {
  const creating = useMutation<void, Problem, () => Promise<void>>({ mutationFn: (run) => run() });
  const make = async (...args: Args): Promise<{ made: Made } | { refused: Problem }> => {
    let made: { made: Made };
    const run = async (): Promise<void> => void (made = { made: await work(...args) });
    try {
      await creating.mutateAsync(run);
      creating.reset();
      return made!;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { refused: error };
    }
  };
  return { busy: creating.isPending, problem: creating.error, make };
}
