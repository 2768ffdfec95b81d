import { z } from 'zod'
import { request } from '../contract.ts'
import { sandboxProviders } from './api.ts'

/** Where a stand-in listens: `http://127.0.0.1:41234`, or `smtp://…` for mail. */
export const sandboxAddress = request('sandbox.address', z.object({ provider: z.enum(sandboxProviders) }), z.object({ url: z.string() }))
