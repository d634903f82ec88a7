package sim

// EngineVersion is raised whenever the same rules, seed and actions lead to different
// events than before. Datasets record the version that wrote them.
const EngineVersion = 1
