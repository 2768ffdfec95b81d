import { createContext, use } from 'react'

/** The page as the server rendered it: `address` is its path and query, `data` the answer it was made from. */
type GivenPage = { address: string; data: unknown }

export const GivenPageContext = createContext<GivenPage | null>(null)

/** The data that came with this address, so that the first render asks for nothing and finds what the server drew. */
export function useGivenPage<T>(address: string): T | undefined {
  const given = use(GivenPageContext)
  return given?.address === address ? (given.data as T) : undefined
}

/** Of the document that the browser opened. */
export function readGivenPage(): GivenPage | null {
  const text = document.getElementById('given-page')?.textContent
  return text ? (JSON.parse(text) as GivenPage) : null
}
