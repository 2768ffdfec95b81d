/** Puts rows into a table, past the domain functions. */
export const insert = (db: any, table: string, rows: object): Promise<unknown> => db.insertInto(table).values(rows).execute()

/** Changes the rows that have these values. */
export function update(db: any, table: string, where: Record<string, unknown>, set: object): Promise<unknown> {
  const [found] = Object.entries(where)
  return db.updateTable(table).set(set).where(found![0], '=', found![1]).execute()
}
