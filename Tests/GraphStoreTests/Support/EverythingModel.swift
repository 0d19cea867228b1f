/// A model with one of everything, in the format of a model file.
let everythingModel = """
    Item:
      abstract: true
      attributes:
        createdAt: Date
        note: { type: String, transient: true }
      indexes:
        byCreation: [createdAt desc]
    task:
      parent: Item
      attributes:
        id: { type: UUID, optional: false }
        title: { type: String, optional: false }
        small: Integer 16
        medium: Integer 32
        large: Integer 64
        isDone: { type: Boolean, default: false }
        ratio: Double
        weight: Float
        price: Decimal
        link: URI
        photo: Binary
        address: { type: Transformable, transformer: json }
      relationships:
        category: { to: Category, inverse: tasks }
        parent: { to: task, inverse: subtasks }
        subtasks: { to: task, many: true, ordered: true, inverse: parent, delete: cascade }
        tags: { to: Tag, many: true, inverse: tasks, ordered: true }
        blockers: { to: task, many: true, inverse: blocked }
        blocked: { to: task, many: true, inverse: blockers }
        related: { to: task, many: true, inverse: related }
        plan: { to: Plan, inverse: task }
        about: { to: Item }
      unique: [[id]]
      indexes:
        byState: [isDone, title desc]
        byCategory: [category]
    Milestone:
      parent: Item
      attributes:
        title: String
        code: { type: String, optional: false }
      unique: [[code]]
    SubTask:
      parent: task
      attributes: { depth: Integer 16 }
    Category:
      attributes: { name: { type: String, optional: false }, region: String }
      relationships:
        tasks: { to: task, many: true, inverse: category, delete: deny }
        watched: { to: Item, many: true }
        history: { to: Tag, many: true, ordered: true }
      unique: [[name, region]]
    Plan:
      attributes: { name: String }
      relationships:
        task: { to: task, inverse: plan }
    Tag:
      attributes: { name: String }
      relationships:
        tasks: { to: task, many: true, inverse: tags }
      unique: [[name]]
    """

/// The same model as Xcode writes it, for the reference implementation of the hashes.
let everythingContents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
    <entity name="Item" isAbstract="YES">
      <attribute name="createdAt" optional="YES" attributeType="Date"/>
      <attribute name="note" optional="YES" transient="YES" attributeType="String"/>
    </entity>
    <entity name="task" parentEntity="Item">
      <attribute name="id" attributeType="UUID"/>
      <attribute name="title" attributeType="String"/>
      <attribute name="small" optional="YES" attributeType="Integer 16"/>
      <attribute name="medium" optional="YES" attributeType="Integer 32"/>
      <attribute name="large" optional="YES" attributeType="Integer 64"/>
      <attribute name="isDone" optional="YES" attributeType="Boolean" defaultValueString="NO"/>
      <attribute name="ratio" optional="YES" attributeType="Double"/>
      <attribute name="weight" optional="YES" attributeType="Float"/>
      <attribute name="price" optional="YES" attributeType="Decimal"/>
      <attribute name="link" optional="YES" attributeType="URI"/>
      <attribute name="photo" optional="YES" attributeType="Binary"/>
      <attribute name="address" optional="YES" attributeType="Transformable"/>
      <relationship name="category" optional="YES" maxCount="1" destinationEntity="Category" inverseName="tasks" inverseEntity="Category"/>
      <relationship name="parent" optional="YES" maxCount="1" destinationEntity="task" inverseName="subtasks" inverseEntity="task"/>
      <relationship name="subtasks" optional="YES" toMany="YES" ordered="YES" destinationEntity="task" inverseName="parent" inverseEntity="task"/>
      <relationship name="tags" optional="YES" toMany="YES" ordered="YES" destinationEntity="Tag" inverseName="tasks" inverseEntity="Tag"/>
      <relationship name="blockers" optional="YES" toMany="YES" destinationEntity="task" inverseName="blocked" inverseEntity="task"/>
      <relationship name="blocked" optional="YES" toMany="YES" destinationEntity="task" inverseName="blockers" inverseEntity="task"/>
      <relationship name="related" optional="YES" toMany="YES" destinationEntity="task" inverseName="related" inverseEntity="task"/>
      <relationship name="plan" optional="YES" maxCount="1" destinationEntity="Plan" inverseName="task" inverseEntity="Plan"/>
      <relationship name="about" optional="YES" maxCount="1" destinationEntity="Item"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Milestone" parentEntity="Item">
      <attribute name="title" optional="YES" attributeType="String"/>
      <attribute name="code" attributeType="String"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="SubTask" parentEntity="task">
      <attribute name="depth" optional="YES" attributeType="Integer 16"/>
    </entity>
    <entity name="Category">
      <attribute name="name" attributeType="String"/>
      <attribute name="region" optional="YES" attributeType="String"/>
      <relationship name="tasks" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="task" inverseName="category" inverseEntity="task"/>
      <relationship name="watched" optional="YES" toMany="YES" destinationEntity="Item"/>
      <relationship name="history" optional="YES" toMany="YES" ordered="YES" destinationEntity="Tag"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="region"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Plan">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="task" optional="YES" maxCount="1" destinationEntity="task" inverseName="plan" inverseEntity="task"/>
    </entity>
    <entity name="Tag">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="tasks" optional="YES" toMany="YES" destinationEntity="task" inverseName="tags" inverseEntity="task"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    </model>
    """
