import type pg from 'pg';

/** The types of the parameters and of the columns of a statement, as numbers of `pg_type`. */
export type Described = { parameters: readonly number[]; columns: readonly { name: string; type: number }[] | null };

type Connection = {
  parse(message: { text: string }): void;
  describe(message: { type: 'S' }): void;
  sync(): void;
  on(event: string, listener: (message: never) => void): void;
  removeListener(event: string, listener: (message: never) => void): void;
};
type Submitted = {
  submit(connection: Connection): void;
  handleParameterDescription?(message: { dataTypeIDs: number[] }): void;
  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
};

/**
 * Asks the server for the types of the parameters and columns. The statement is only prepared and does not run. The
 * driver has no function for such a request.
 */
export function describeStatement(client: pg.Client, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    let parameters: readonly number[] = [];
    let columns: Described['columns'] = null;
    let connection: Connection | null = null;
    const heard = ({ dataTypeIDs }: { dataTypeIDs: number[] }): void => void (parameters = dataTypeIDs);
    const done = (): void => connection?.removeListener('parameterDescription', heard);
    const submitted: Submitted = {
      submit(to) {
        connection = to;
        to.on('parameterDescription', heard);
        to.parse({ text });
        to.describe({ type: 'S' });
        to.sync();
      },
      handleRowDescription: ({ fields }) => {
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
      },
      handleError: (error) => {
        done();
        reject(error);
      },
      handleReadyForQuery: () => {
        done();
        resolve({ parameters, columns });
      },
    };
    client.query(submitted as never);
  });
}
