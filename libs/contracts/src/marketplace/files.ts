import { fileContracts } from '../files.ts'

// What products are made of: uploads that resume, and links to them.

export const { createUpload, uploadOffset, continueUpload, deleteUpload, linkFile, revokeLink, openLink } = fileContracts('marketplace')
