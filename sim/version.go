package sim

// EngineVersion is raised whenever some rules, seed and actions lead to other
// events than before: a rule played otherwise, another wall or another stream of
// random numbers. Datasets name the version that wrote them.
const EngineVersion = 1
