/** Puts rows into a table, past the domain functions. */
export const insert = (db: any, table: string, rows: object): Promise<unknown> => db.insertInto(table).values(rows).execute()

/** Changes the rows that have all of these values. */
export function update(db: any, table: string, where: Record<string, unknown>, set: object): Promise<unknown> {
  return Object.entries(where)
    .reduce((query, [column, value]) => query.where(column, '=', value), db.updateTable(table).set(set))
    .execute()
}
