import { userProfiles } from '@operon/contracts/marketplace'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import { visibleProfiles } from './profiles.ts'

export function profileRoutes({ app }: Runtime) {
  serveTable(app, userProfiles, { from: 'profiles', scope: visibleProfiles })
}
