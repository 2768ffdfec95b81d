import { readFileSync } from 'node:fs'

const file = new URL('../../../package.json', import.meta.url)

/** The release that this process runs. */
export const VERSION: string = process.env.OPERON_VERSION || JSON.parse(readFileSync(file, 'utf8')).version
