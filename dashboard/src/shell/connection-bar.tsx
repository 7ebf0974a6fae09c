import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import classes from './shell.module.css';

/** The line says that the content may be old, because pages keep their content when the network is lost. */
export function ConnectionBar(): ReactNode {
  const say = useTexts(common);
  const lost = useConnectionLost();
  return (
    <div role="status" className={classes.connection} data-lost={lost || undefined}>
      {lost && say('reconnecting')}
    </div>
  );
}

function useConnectionLost(): boolean {
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  useIsFetching();
  useEffect(() => {
    const cache = client.getQueryCache();
    const look = (): void =>
      setLost(
        cache
          .findAll({ type: 'active' })
          .some(({ state }) =>
            [state.error, state.fetchFailureReason].some((error) => error instanceof Problem && error.status === 0),
          ),
      );
    return cache.subscribe(look);
  }, [client]);
  return lost;
}
