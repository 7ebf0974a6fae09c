import { useEffect } from 'react';

/** The title of the browser's tab has the number of waiting conversations, and then the name of the page. */
let title = 'Parley';
let waiting = '';

const write = (): void => {
  document.title = waiting === '' ? title : `(${waiting}) ${title}`;
};

export function useTabTitle(named: string): void {
  useEffect(() => {
    title = named;
    write();
  }, [named]);
}

/** Empty: no conversation waits. */
export function useTabCount(count: string): void {
  useEffect(() => {
    waiting = count;
    write();
    return () => {
      waiting = '';
      write();
    };
  }, [count]);
}
